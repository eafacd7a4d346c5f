/**
 * @file percale.h
 * Percale trains and serves deep-learning models inside any host process.
 *
 * The application interface, in C99. Its parts are in the folder percale/; a program includes this
 * header alone. percale/types.h states the conventions of ownership, errors, text and threads.
 */
#ifndef PERCALE_H_
#define PERCALE_H_

#include "percale/builder.h"
#include "percale/cluster.h"
#include "percale/collective.h"
#include "percale/dataset.h"
#include "percale/engine.h"
#include "percale/graph.h"
#include "percale/host.h"
#include "percale/server.h"
#include "percale/session.h"
#include "percale/status.h"
#include "percale/tensor.h"
#include "percale/trainer.h"
#include "percale/types.h"

#endif /* PERCALE_H_ */
