/**
 * The exceptions of the client. {@link ApiException}: the server answered with an error status.
 * {@link NetworkException}: no answer came. Both extend the sealed {@link ClientException}. Start
 * at {@link ClientException}.
 */
@NullMarked
package dev.millrace.client.error;

import org.jspecify.annotations.NullMarked;
