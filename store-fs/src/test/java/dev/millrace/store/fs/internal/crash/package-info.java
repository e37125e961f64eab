/**
 * Crashes at every operation of the disk, by kill and by power loss, and disks that fail: what was
 * acknowledged must be there afterwards. Start at {@link CrashPointTest}.
 */
@NullMarked
package dev.millrace.store.fs.internal.crash;

import org.jspecify.annotations.NullMarked;
