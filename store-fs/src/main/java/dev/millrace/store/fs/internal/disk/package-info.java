/**
 * Every file operation of the store, and how it becomes durable: changes are collected, then synced
 * for many callers at once. Also the layout of a workspace, the lock of its owner and the settings
 * and dependencies of a store. Start at {@link Disk}.
 */
@NullMarked
package dev.millrace.store.fs.internal.disk;

import org.jspecify.annotations.NullMarked;
