/**
 * Responses as jobs: a stored response is a job with one task of type {@code generate}. Its data
 * say whose it is, its journal and its receipt have its tokens. Start at {@link
 * dev.millrace.http.openai.response.store.ResponseStore}.
 */
@NullMarked
package dev.millrace.http.openai.response.store;

import org.jspecify.annotations.NullMarked;
