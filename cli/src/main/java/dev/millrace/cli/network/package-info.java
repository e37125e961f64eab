/**
 * Commands for a network of nodes that share a model's layers: {@code node} holds layers, {@code
 * nodes} and {@code pipes} show the members and the pipes of a model, {@code keygen} creates the
 * network's key. Start at {@link NodeCommand}.
 */
@NullMarked
package dev.millrace.cli.network;

import org.jspecify.annotations.NullMarked;
