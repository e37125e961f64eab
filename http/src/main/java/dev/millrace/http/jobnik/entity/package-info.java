/**
 * Finds jobs, stages and tasks by their ids and maps them to the records of the API. {@link
 * JobnikProblems} has the error answers of Jobnik; {@link ResponseBudget} limits the size of an
 * answer. Start at {@link EntityLookup}.
 */
@NullMarked
package dev.millrace.http.jobnik.entity;

import org.jspecify.annotations.NullMarked;
