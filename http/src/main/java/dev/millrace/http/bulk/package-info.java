/**
 * The same lever for many jobs: one request, carried out job by job, with an outcome for each. Start
 * at {@link BulkRoutes}.
 */
@NullMarked
package dev.millrace.http.bulk;

import org.jspecify.annotations.NullMarked;
