/**
 * What an origin has of its own model: the file and its hash, tokenizer, end and first layers; and
 * what every session of the model asks of nodes. Start at {@link OriginModel}.
 */
@NullMarked
package dev.millrace.cluster.internal.model;

import org.jspecify.annotations.NullMarked;
