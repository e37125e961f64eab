package dev.millrace.http.openai.response;

import dev.millrace.core.job.JobId;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.job.JobSignals;
import dev.millrace.http.openai.response.store.ResponseStore;
import java.time.InstantSource;
import java.util.function.Consumer;

/**
 * What makes and keeps responses.
 *
 * @param urgent lets a job start at once, without a free slot
 * @param storable whether responses may be stored
 */
record ResponseBackend(
    ResponseStore responses,
    JobSignals signals,
    InferenceAccess models,
    Consumer<JobId> urgent,
    InstantSource clock,
    boolean storable) {}
