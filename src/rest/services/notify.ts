import type { RestNotification } from './ports.js';
import type { RestServices } from './services.js';

/** Sends a notification. The change is stored already, so a failure does not fail the request. */
export async function notify({ notifications }: RestServices, notification: RestNotification): Promise<void> {
  try {
    await notifications.notify(notification);
  } catch {
    // The port reports its own failures.
  }
}
