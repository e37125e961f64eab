/**
 * Commands for a network of nodes that share a model's layers: {@code node} holds layers, {@code
 * nodes} and {@code pipes} show who is there and which pipes serve a model, {@code keygen} makes
 * the network's key. Start at {@link NodeCommand}.
 */
@NullMarked
package dev.millrace.cli.network;

import org.jspecify.annotations.NullMarked;
