/**
 * What a task asks for, read from JSON and checked: prompt, sampling parameters, stop texts, and
 * the constraint (JSON schema or grammar) on the output. A value that is not given is null;
 * effective parameters are the task's values completed by the defaults. A task that can never run
 * as asked is refused with {@link TaskRefused}. Start at {@link GenerateParameters}; to check tasks
 * before they are submitted, use {@link TaskCheck}.
 */
@NullMarked
package dev.millrace.server.infer.parameters;

import org.jspecify.annotations.NullMarked;
