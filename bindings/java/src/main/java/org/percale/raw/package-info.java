/**
 * The functions of {@code percale.h} under their own names, for features that {@code org.percale}
 * does not offer. Arguments are not checked here.
 */
package org.percale.raw;
