/**
 * What the server says about itself: its state, its models, and the nodes and pipes of models whose
 * layers are spread. Start at {@link dev.millrace.http.overview.ServerOverviewRoute}.
 */
@NullMarked
package dev.millrace.http.overview;

import org.jspecify.annotations.NullMarked;
