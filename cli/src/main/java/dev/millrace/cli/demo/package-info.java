/**
 * {@code millrace demo}: runs a job of two stages with a gate in a new workspace, and shows and
 * explains what happens. Start at {@link DemoCommand}, then {@link DemoRun}.
 */
@NullMarked
package dev.millrace.cli.demo;

import org.jspecify.annotations.NullMarked;
