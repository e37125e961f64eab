package dev.millrace.cluster.internal.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes fetched bytes; an interface so that tests can have a full disk. */
interface FetchDisk {
  /** The real file system. */
  FetchDisk REAL =
      new FetchDisk() {
        @Override
        public void write(Path file, long position, ByteBuffer data) throws IOException {
          try (FileChannel channel =
              FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (long at = position; data.hasRemaining(); ) {
              at += channel.write(data, at);
            }
          }
        }

        @Override
        public long usable(Path directory) throws IOException {
          return Files.getFileStore(directory).getUsableSpace();
        }
      };

  void write(Path file, long position, ByteBuffer data) throws IOException;

  /** Free bytes. */
  long usable(Path directory) throws IOException;
}
