/** A model's layers on several nodes: what a node and an origin are made of. */
@NullMarked
package dev.millrace.cluster;

import org.jspecify.annotations.NullMarked;
