/**
 * Clients of others against a server of ours: they know OpenAI's API, and nothing of Millrace. {@link
 * dev.millrace.examples.client.HouseServer} is the server.
 */
@NullMarked
package dev.millrace.examples.client;

import org.jspecify.annotations.NullMarked;
