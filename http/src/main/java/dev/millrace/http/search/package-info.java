/**
 * Search over many jobs. {@link dev.millrace.http.search.JobIndex} keeps a row of each of the newest
 * jobs in memory, {@link dev.millrace.http.search.IndexUpdater} reads them in the background, and
 * {@link dev.millrace.http.search.JobFilter} selects rows. Start at {@link
 * dev.millrace.http.search.SearchRoutes}.
 */
@NullMarked
package dev.millrace.http.search;

import org.jspecify.annotations.NullMarked;
