/**
 * The side of the API that workers use. {@link TaskDispatcher} hands out tasks to long-polling
 * workers in order of arrival. {@link ClaimedTaskActions} takes results, heartbeats, releases and
 * log lines, after {@link ClaimVerifier} has checked the fencing token. Start at {@link
 * TaskDispatcher}.
 */
@NullMarked
package dev.millrace.http.jobnik.claim;

import org.jspecify.annotations.NullMarked;
