/**
 * Templates in the tasks of a stage: placeholders that are replaced by results of earlier stages
 * when the stage opens. Start at {@link StageTemplate}.
 */
@NullMarked
package dev.millrace.core.template;

import org.jspecify.annotations.NullMarked;
