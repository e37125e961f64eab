/**
 * What goes over the wire, as records. Answers are read leniently: a field that a newer server adds
 * is ignored. Requests are checked when they are made.
 */
@NullMarked
package dev.millrace.client.wire;

import org.jspecify.annotations.NullMarked;
