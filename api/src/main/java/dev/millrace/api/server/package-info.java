/**
 * What a server says about itself: its models, and the nodes and pipes of models whose layers are
 * spread. Start at {@link dev.millrace.api.server.ServerOverview}.
 */
@NullMarked
package dev.millrace.api.server;

import org.jspecify.annotations.NullMarked;
