/**
 * What all route groups need to handle jobs: ids as clients send them, submission that is safe to
 * repeat (Idempotency-Key), display names, the check of a job's webhooks, and the types that remote
 * workers ask for. Start at {@link IdempotentSubmitter}.
 */
@NullMarked
package dev.millrace.http.job;

import org.jspecify.annotations.NullMarked;
