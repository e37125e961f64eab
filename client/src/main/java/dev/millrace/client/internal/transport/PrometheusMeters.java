package dev.millrace.client.internal.transport;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The metrics of clients and workers in a Prometheus registry, named as in Jobnik's own SDK. */
public final class PrometheusMeters implements ClientMeters {
  private static final String PREFIX = "jobnik_sdk_";

  private final Histogram requests;
  private final Counter retries;
  private final Histogram jobs;
  private final Histogram stages;
  private final Histogram tasks;
  private final Counter productions;
  private final Histogram dequeues;
  private final Histogram updateTimes;
  private final Counter updates;
  private final Histogram durations;
  private final Counter completed;
  private final Counter failed;
  private final Gauge active;
  private final Gauge breakers;
  private final Counter opens;
  private final Gauge empty;
  private final Set<RunningWorker> workers = ConcurrentHashMap.newKeySet();

  /**
   * @throws IllegalArgumentException if the registry already has these metrics
   */
  public PrometheusMeters(PrometheusRegistry in) {
    requests =
        histogram(
            in,
            "http_request_duration_seconds",
            "Duration of one try of a request",
            "method",
            "route",
            "status");
    retries = counter(in, "http_retries_total", "Requests that were retried", "reason");
    jobs =
        histogram(
            in, "producer_job_create_duration_seconds", "Duration of creating a job", "status");
    stages =
        histogram(
            in, "producer_stage_create_duration_seconds", "Duration of adding a stage", "status");
    tasks =
        histogram(
            in, "producer_task_create_duration_seconds", "Duration of adding tasks", "status");
    productions =
        counter(
            in,
            "producer_operations_total",
            "Requests to create jobs, stages and tasks",
            "operation",
            "status");
    dequeues =
        histogram(
            in, "consumer_dequeue_duration_seconds", "Duration of polling for tasks", "stage_type");
    updateTimes =
        histogram(
            in,
            "consumer_task_update_duration_seconds",
            "Duration of reporting a task",
            "stage_type",
            "status");
    updates =
        counter(
            in,
            "consumer_task_updates_total",
            "Reported tasks",
            "stage_type",
            "status",
            "accepted");
    durations =
        histogram(
            in,
            "worker_task_duration_seconds",
            "Duration of one run of a handler",
            "stage_type",
            "status");
    completed = counter(in, "worker_tasks_completed_total", "Tasks completed", "stage_type");
    failed = counter(in, "worker_tasks_failed_total", "Failed attempts", "stage_type");
    active = gauge(in, "worker_tasks_active", "Running tasks", "stage_type");
    breakers =
        gauge(
            in,
            "worker_circuit_breaker_state",
            "0 closed, 1 half open, 2 open",
            "stage_type",
            "breaker");
    opens =
        counter(
            in,
            "worker_circuit_breaker_opens_total",
            "Times the circuit breaker opened",
            "stage_type",
            "breaker");
    empty =
        gauge(
            in, "worker_consecutive_empty_polls", "Consecutive polls without a task", "stage_type");
    uptime(in);
    Info.builder()
        .name(PREFIX + "info")
        .help("The client library")
        .labelNames("library", "language")
        .register(in)
        .setLabelValues("millrace-client", "java");
  }

  private void uptime(PrometheusRegistry in) {
    GaugeWithCallback.builder()
        .name(PREFIX + "worker_uptime_seconds")
        .help("Time since the start of the worker")
        .labelNames("stage_type", "worker")
        .callback(
            out ->
                workers.forEach(
                    worker ->
                        out.call(seconds(worker.uptime().get()), worker.type(), worker.name())))
        .register(in);
  }

  private static Histogram histogram(
      PrometheusRegistry in, String name, String help, String... labels) {
    return Histogram.builder()
        .name(PREFIX + name)
        .help(help)
        .labelNames(labels)
        .classicExponentialUpperBounds(0.001, 2, 18)
        .register(in);
  }

  private static Counter counter(
      PrometheusRegistry in, String name, String help, String... labels) {
    return Counter.builder().name(PREFIX + name).help(help).labelNames(labels).register(in);
  }

  private static Gauge gauge(PrometheusRegistry in, String name, String help, String... labels) {
    return Gauge.builder().name(PREFIX + name).help(help).labelNames(labels).register(in);
  }

  private static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }

  @Override
  public void requested(ClientRequest request, int status, Duration time) {
    requests
        .labelValues(
            request.method(), request.template(), status == 0 ? "none" : Integer.toString(status))
        .observe(seconds(time));
  }

  @Override
  public void retried(String reason) {
    retries.labelValues(reason).inc();
  }

  @Override
  public void produced(String what, boolean done, Duration time) {
    String status = done ? "success" : "failure";
    productions.labelValues("create_" + what, status).inc();
    Histogram times = what.equals("job") ? jobs : what.equals("stage") ? stages : tasks;
    times.labelValues(status).observe(seconds(time));
  }

  @Override
  public void dequeued(String type, Duration time) {
    dequeues.labelValues(type).observe(seconds(time));
  }

  @Override
  public void statusUpdated(String type, String status, boolean accepted, Duration time) {
    updateTimes.labelValues(type, status).observe(seconds(time));
    updates.labelValues(type, status, Boolean.toString(accepted)).inc();
  }

  @Override
  public void taskStarted(String type) {
    active.labelValues(type).inc();
  }

  @Override
  public void taskEnded(String type, String outcome, Duration time) {
    active.labelValues(type).dec();
    if (outcome.equals("completed")) {
      completed.labelValues(type).inc();
    } else if (outcome.equals("failed")) {
      failed.labelValues(type).inc();
    }
    durations.labelValues(type, outcome).observe(seconds(time));
  }

  @Override
  public void breaker(String type, String breaker, int state) {
    breakers.labelValues(type, breaker).set(state);
    if (state == 2) {
      opens.labelValues(type, breaker).inc();
    }
  }

  @Override
  public void emptyPolls(String type, int inARow) {
    empty.labelValues(type).set(inARow);
  }

  @Override
  public void workerStarted(RunningWorker worker) {
    workers.add(worker);
  }

  @Override
  public void workerStopped(RunningWorker worker) {
    workers.remove(worker);
  }
}
