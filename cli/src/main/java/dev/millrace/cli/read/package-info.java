/**
 * The commands that read jobs: {@code flow} (results, status, waiting, following), {@code jobs} and
 * {@code job}. {@code flow -f} shows a job while it runs through one of three views: text, stages
 * or JSON. Start at {@link FlowCommand} and {@link JobFollower}.
 */
@NullMarked
package dev.millrace.cli.read;

import org.jspecify.annotations.NullMarked;
