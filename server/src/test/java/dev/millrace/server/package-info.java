/** Tests of the working side, over a store in memory. */
@NullMarked
package dev.millrace.server;

import org.jspecify.annotations.NullMarked;
