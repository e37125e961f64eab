/** Which node takes which layers: a pure function of what there is. */
@NullMarked
package dev.millrace.cluster.place;

import org.jspecify.annotations.NullMarked;
