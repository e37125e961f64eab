/**
 * The jobs of a workspace as the owner's repository: how a job is read, how its entries are
 * appended, which renames come before and after them, and how ended jobs are deleted. Start at
 * {@link FsRepository}.
 */
@NullMarked
package dev.millrace.store.fs.internal.jobs;

import org.jspecify.annotations.NullMarked;
