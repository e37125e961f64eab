/**
 * Chat templates: messages to the prompt that a model was trained on, and its thoughts apart from
 * its answer.
 */
@NullMarked
package dev.millrace.engine.chat;

import org.jspecify.annotations.NullMarked;
