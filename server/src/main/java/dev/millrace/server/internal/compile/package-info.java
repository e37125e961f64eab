/**
 * Where schemas, grammars and tools are compiled: {@link CompilePool} does it apart from the threads
 * of requests and tasks.
 */
@NullMarked
package dev.millrace.server.internal.compile;

import org.jspecify.annotations.NullMarked;
