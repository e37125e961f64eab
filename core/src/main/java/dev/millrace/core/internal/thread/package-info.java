/** How threads are started, so that none dies unnoticed. */
@NullMarked
package dev.millrace.core.internal.thread;

import org.jspecify.annotations.NullMarked;
