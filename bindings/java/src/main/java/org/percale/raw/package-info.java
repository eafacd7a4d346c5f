/** The functions of {@code percale.h} under their own names, for what {@code org.percale} does not reach. Nothing is checked here. */
package org.percale.raw;
