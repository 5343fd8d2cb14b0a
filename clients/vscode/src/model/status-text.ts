// Texts of the status bar.
import type { ConnectionState } from './session.ts'

export interface StatusText {
  readonly text: string
  readonly tooltip: string
  /** True if a person must do something. */
  readonly isWarning: boolean
}

/** Returns the text about the connection and the number of waiting calls. */
export function describeStatus(connection: ConnectionState, waiting: number): StatusText {
  switch (connection.state) {
    case 'live':
      return waiting === 0
        ? { text: '$(shield) Toolgate', tooltip: 'Toolgate: no call is waiting', isWarning: false }
        : { text: `$(shield) Toolgate ${waiting}`, tooltip: `Toolgate: ${describeWaiting(waiting)}`, isWarning: true }
    case 'lost':
      return { text: '$(shield) Toolgate: lost', tooltip: 'Connection lost. Reconnecting…', isWarning: true }
    case 'refused':
      return { text: '$(shield) Toolgate: refused', tooltip: connection.reason, isWarning: true }
    default:
      return {
        text: '$(shield) Toolgate: off',
        tooltip: (connection.state === 'off' && connection.reason) || 'No server was found. Click to start one.',
        isWarning: false
      }
  }
}

/** Returns `1 call is waiting` or `2 calls are waiting`. */
export const describeWaiting = (count: number): string =>
  count === 1 ? '1 call is waiting' : `${count} calls are waiting`
