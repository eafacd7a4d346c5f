// The passes that recognise a pattern and replace it by an op with a faster kernel. passes.cc
// documents each.
#ifndef PERCALE_CORE_PASSES_RECOGNIZE_RECOGNIZE_H_
#define PERCALE_CORE_PASSES_RECOGNIZE_RECOGNIZE_H_

#include "core/passes/edit/pass.h"
#include "core/registry/built_ops.h"

namespace percale {

Status recognize_norm(const Graph& graph, Function& f, PassContext& context);
Status recognize_attention(const Graph& graph, Function& f, PassContext& context);
Status recognize_attention_grad(const Graph& graph, Function& f, PassContext& context);
Status recognize_rotary(const Graph& graph, Function& f, PassContext& context);
Status recognize_activation(const Graph& graph, Function& f, PassContext& context);
Status fold_pad(const Graph& graph, Function& f, PassContext& context);
Status move_transposes(const Graph& graph, Function& f, PassContext& context);
Status move_views(const Graph& graph, Function& f, PassContext& context);
Status fold_batch_norm(const Graph& graph, Function& f, PassContext& context);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_RECOGNIZE_RECOGNIZE_H_
