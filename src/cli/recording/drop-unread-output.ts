import type { Arguments } from '../command.js';
import { type Io, isBrokenPipe, type Output } from '../io.js';

/**
 * A recorded run continues when the reader of its output has gone (`| head`), because the file is the purpose. Unread
 * output is dropped.
 */
export function dropUnreadOutput(args: Arguments, io: Io): Io {
  if (!args.isSet('record') && !args.isSet('har')) return io;
  return { ...io, stdout: dropUnread(io.stdout), stderr: dropUnread(io.stderr) };
}

function dropUnread(output: Output): Output {
  let isClosed = false;
  return {
    isTerminal: output.isTerminal,
    get columns() {
      return output.columns;
    },
    write: async (text) => {
      if (isClosed) return;
      await output.write(text).catch((error: unknown) => {
        if (!isBrokenPipe(error)) throw error;
        isClosed = true;
      });
    },
  };
}
