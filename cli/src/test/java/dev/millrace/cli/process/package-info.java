/**
 * Tests only: the launcher and the commands as real processes, which are signalled, killed and
 * restarted. Start at LauncherProcess (how a test starts one) and LauncherIT.
 */
@NullMarked
package dev.millrace.cli.process;

import org.jspecify.annotations.NullMarked;
