/** How the threads of engines and nodes are started, so that none dies unnoticed. */
@NullMarked
package dev.millrace.engine.internal.thread;

import org.jspecify.annotations.NullMarked;
