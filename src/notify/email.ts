// Email by SMTP.
import type { ChannelSettings } from '../config/notifications.ts'
import type { Channel, ChannelServices } from './channel.ts'
import { DeliveryError } from './delivery-error.ts'
import { formatMessage } from './message-text.ts'

const TIMEOUT_MS = 10_000
const MAX_LENGTH = 10_000
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/
const DEFAULT_PORTS = { tls: 465, starttls: 587, none: 25 } as const

export function openEmail(settings: ChannelSettings<'email'>, services: ChannelServices): Channel {
  const { host, security = 'starttls', port = DEFAULT_PORTS[security], user, from, to } = settings
  const pass = services.readSecret(settings, 'password')
  if ((user === undefined) !== (pass === undefined))
    throw new DeliveryError('The channel needs both user and password, or neither.')
  if (pass !== undefined && security === 'none' && !LOOPBACK.test(host))
    throw new DeliveryError('The password is sent to other machines only over TLS: set security to tls or starttls.')
  return {
    async send(message, { id, signal }) {
      const { createTransport } = await import('nodemailer')
      const transport = createTransport({
        host,
        port,
        secure: security === 'tls',
        requireTLS: security === 'starttls',
        ignoreTLS: security === 'none',
        ...(user !== undefined && pass !== undefined && { auth: { user, pass } }),
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        dnsTimeout: TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true
      })
      const close = () => transport.close()
      signal.addEventListener('abort', close, { once: true })
      const { title, body, url } = formatMessage(message, MAX_LENGTH)
      try {
        await transport.sendMail({
          from,
          to,
          subject: title,
          text: url === undefined ? body : `${body}\n\n${url}`,
          // The same in each attempt, so that a mailbox can recognize a repeated one.
          messageId: `<${id}@${domainOf(from)}>`,
          headers: { 'Auto-Submitted': 'auto-generated' }
        })
      } catch (error) {
        throw toDeliveryError(error as SmtpError, host)
      } finally {
        signal.removeEventListener('abort', close)
        close()
      }
    }
  }
}

interface SmtpError extends Error {
  responseCode?: number
}

const PERMANENT_CODE = 500

const toDeliveryError = (error: SmtpError, host: string) =>
  new DeliveryError(`${host}: ${error.message}`, {
    isPermanent: (error.responseCode ?? 0) >= PERMANENT_CODE,
    cause: error
  })

const domainOf = (address: string) => /@([^\s@<>]+)>?$/.exec(address)?.[1] ?? 'localhost'
