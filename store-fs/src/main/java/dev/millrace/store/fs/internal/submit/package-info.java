/**
 * How a job gets into a workspace: it is assembled where no one sees it, made durable, and published
 * by one rename; a retry with all that it adopts. Start at {@link FsSubmitter}.
 */
@NullMarked
package dev.millrace.store.fs.internal.submit;

import org.jspecify.annotations.NullMarked;
