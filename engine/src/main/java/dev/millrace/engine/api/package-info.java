/**
 * What a user of an engine passes and gets: settings, a request with its sampling parameters, a
 * listener, a generation under way, its result, and statistics. Values and interfaces only; no code
 * of the engine's internals is reachable from here. Start at {@link GenerationRequest} and {@link
 * Generation}.
 */
@NullMarked
package dev.millrace.engine.api;

import org.jspecify.annotations.NullMarked;
