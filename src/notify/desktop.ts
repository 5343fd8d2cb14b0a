// Notifications on the desktop of the server's machine by notify-send; without a desktop session, the bell of the server's terminal.
import type { ChannelSettings } from '../config/notifications.ts'
import { isProgramAvailable } from '../host/processes/find-program.ts'
import type { Channel, ChannelServices } from './channel.ts'
import { DeliveryError } from './delivery-error.ts'
import { escapeMarkup } from './escape-markup.ts'
import { formatMessage, type MessageText } from './message-text.ts'

const PROGRAM = 'notify-send'
/** Variables of a desktop session, which the program uses. */
const SESSION_VARIABLES = ['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'HOME', 'PATH']
const MAX_LENGTH = 500

export function openDesktop(_: ChannelSettings<'desktop'>, { environment, ringBell }: ChannelServices): Channel {
  const session = Object.fromEntries(SESSION_VARIABLES.flatMap(name => pickVariable(environment, name)))
  const hasDesktop = ['DISPLAY', 'WAYLAND_DISPLAY'].some(name => session[name] !== undefined)
  if (hasDesktop && isProgramAvailable(PROGRAM, session))
    return { send: (message, { signal }) => show(formatMessage(message, MAX_LENGTH), session, signal) }
  if (ringBell) return { send: async () => ringBell() }
  throw new DeliveryError(
    hasDesktop
      ? `${PROGRAM} is not installed, and the server does not run at a terminal.`
      : 'The server has no desktop session, and does not run at a terminal.'
  )
}

async function show({ title, body, url }: MessageText, env: Record<string, string>, signal: AbortSignal) {
  const { execa } = await import('execa')
  const text = escapeMarkup(url === undefined ? body : `${body}\n${url}`)
  const { failed, stderr, shortMessage } = await execa(PROGRAM, ['--app-name=Toolgate', '--', title, text], {
    env,
    extendEnv: false,
    stdin: 'ignore',
    maxBuffer: 4_096,
    cancelSignal: signal,
    reject: false
  })
  if (failed) throw new DeliveryError(`${PROGRAM} failed: ${stderr || shortMessage}`)
}

const pickVariable = (environment: ChannelServices['environment'], name: string): [string, string][] => {
  const value = environment[name]
  return value === undefined || value === '' ? [] : [[name, value]]
}
