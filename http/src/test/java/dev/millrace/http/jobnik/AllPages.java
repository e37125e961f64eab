package dev.millrace.http.jobnik;

import dev.millrace.http.jobnik.JobnikTestServer.ApiReply;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads all pages of a list through their links. */
final class AllPages {
  private static final Pattern NEXT = Pattern.compile("<(.*)>; rel=\"next\"");

  private AllPages() {}

  static List<String> ids(JobnikTestServer api, String path) {
    List<String> ids = new ArrayList<>();
    String next = path;
    while (next != null) {
      ApiReply page = api.get(next);
      page.list().forEach(one -> ids.add(one.string("id")));
      Matcher link = NEXT.matcher(page.header("Link") == null ? "" : page.header("Link"));
      next = link.matches() ? link.group(1) : null;
    }
    return ids;
  }
}
