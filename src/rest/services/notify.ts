import type { RestNotification } from './ports.js';
import type { RestServices } from './services.js';

/** Tells the port. The change is already stored, so a port that fails changes nothing for the caller. */
export async function notify({ notifications }: RestServices, notification: RestNotification): Promise<void> {
  try {
    await notifications.notify(notification);
  } catch {
    // The port reports its own failures.
  }
}
