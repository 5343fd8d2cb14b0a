// Configuration of notifications about calls that wait. They leave the machine, so that no workspace can set where to.
import { type Static, type TObject, type TSchema, Type } from 'typebox'

const Url = (description: string) => Type.String({ pattern: '^https?://[^/\\s]+', maxLength: 2_048, description })
const ShortText = (description: string) => Type.String({ minLength: 1, maxLength: 256, description })

const Address = (description: string) =>
  Type.String({ pattern: '^[^\\s@<>,;]+@[^\\s@<>,;]+$', maxLength: 254, description })

/** Fields of a secret, which the configuration never contains itself. */
const secretFields = <N extends string>(name: N, noun: string) =>
  ({
    [`${name}_file`]: Type.Optional(Type.String({ description: `File that contains the ${noun} on one line.` })),
    [`${name}_env`]: Type.Optional(Type.String({ description: `Environment variable with the ${noun}.` }))
  }) as { [K in `${N}_file` | `${N}_env`]: ReturnType<typeof Type.Optional<ReturnType<typeof Type.String>>> }

const ChannelDelay = Type.Optional(
  Type.Integer({
    minimum: 0,
    description:
      'Time that a call waits for approval before this channel is notified, if that is later than `after_ms` of all channels.'
  })
)

const PersonName = Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\p{Cc}\\p{Cf}]*$' })

/** Channels whose messages reach one person, or a group that decides under one name. */
const DecideAs = Type.Optional(
  Type.Unsafe<string>({
    ...PersonName,
    description:
      'Name of the person who receives the messages. Each message then has a link by which its reader can approve or reject the ' +
      'call, and the decision has this name. Requires `base_url`.'
  })
)

/** People who decide by the buttons of a message. Their service says who has pressed one. */
const Deciders = (description: string) =>
  Type.Optional(
    Type.Record(Type.String({ pattern: '^[A-Za-z0-9]{1,32}$' }), PersonName, { maxProperties: 64, description })
  )

const channel = <K extends string, P extends Record<string, TSchema>>(kind: K, description: string, fields: P) =>
  Type.Object(
    { kind: Type.Literal(kind), after_ms: ChannelDelay, ...fields },
    { additionalProperties: false, title: `Channel ${kind}`, description }
  )

/** The fields of each kind of channel. */
export const CHANNEL_SCHEMAS = {
  webhook: channel('webhook', 'HTTP request with JSON, signed as the Standard Webhooks specification describes.', {
    decide_as: DecideAs,
    url: Url('URL that receives the request.'),
    ...secretFields('secret', 'signing secret, `whsec_` and base64')
  }),
  ntfy: channel('ntfy', 'Push notification by ntfy.', {
    decide_as: DecideAs,
    url: Url('URL of the topic, such as https://ntfy.sh/my-topic.'),
    ...secretFields('token', 'access token'),
    priority: Type.Optional(
      Type.Enum(['min', 'low', 'default', 'high', 'max'], { description: 'Priority. Default: `high`.' })
    )
  }),
  slack: channel('slack', 'Message in Slack.', {
    decide_as: DecideAs,
    ...secretFields('url', 'URL of an incoming webhook'),
    ...secretFields('token', 'token of a bot, instead of the URL of a webhook'),
    channel: Type.Optional(ShortText('Id of the channel, with a token.')),
    deciders: Deciders(
      'Names of the people who may approve or reject by the buttons of a message, by their ids in Slack, such as `U0123456789`. ' +
        'Requires a token and the signing secret.'
    ),
    ...secretFields('signing_secret', 'signing secret of the app, by which Slack signs what a button sends'),
    api_url: Type.Optional(Url('URL of the API, with a token. Default: https://slack.com/api.'))
  }),
  telegram: channel('telegram', 'Message of a Telegram bot.', {
    decide_as: DecideAs,
    ...secretFields('token', 'token of the bot'),
    deciders: Deciders(
      'Names of the people who may approve or reject by the buttons of a message, by their ids in Telegram, such as `123456789`.'
    ),
    chat_id: Type.Union([Type.Integer(), ShortText('Name of a channel.')], {
      description: 'Id of the chat, or name of a channel such as `@my_channel`.'
    }),
    api_url: Type.Optional(Url('URL of the Bot API. Default: https://api.telegram.org.'))
  }),
  email: channel('email', 'Email by SMTP.', {
    decide_as: DecideAs,
    host: ShortText('Host name of the SMTP server.'),
    port: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65_535, description: 'Port. Default: 587 for `starttls`, 465 for `tls`.' })
    ),
    security: Type.Optional(
      Type.Enum(['starttls', 'tls', 'none'], {
        description: 'Encryption. Default: `starttls`. With `none`, a password is sent only to this machine.'
      })
    ),
    user: Type.Optional(ShortText('User name.')),
    ...secretFields('password', 'password of the user'),
    from: Address('Sender.'),
    to: Type.Array(Address('Recipient.'), { minItems: 1, maxItems: 32, description: 'Recipients.' })
  }),
  desktop: channel(
    'desktop',
    "Notification on the server's desktop by notify-send; without a desktop session, the bell of the server's terminal.",
    {}
  ),
  'web-push': channel('web-push', 'Notification in the browsers that are registered in the console.', {
    decide_links: Type.Optional(
      Type.Boolean({
        description:
          'True if a notification opens a page by which the person can approve or reject the call without signing in. Requires ' +
          '`base_url`. Default: false.'
      })
    ),
    contact: Type.Optional(Address('Email address that push services can contact about the messages of this server.'))
  })
} as const satisfies Record<string, TObject>

export type ChannelKind = keyof typeof CHANNEL_SCHEMAS
export type ChannelSettings<K extends ChannelKind = ChannelKind> = { [E in K]: Static<(typeof CHANNEL_SCHEMAS)[E]> }[K]

/** The secrets of each kind: a required one must have a file or a variable. */
const SECRETS: { readonly [K in ChannelKind]: Readonly<Record<string, 'required' | 'optional'>> } = {
  webhook: { secret: 'required' },
  ntfy: { token: 'optional' },
  slack: { url: 'optional', token: 'optional', signing_secret: 'optional' },
  telegram: { token: 'required' },
  email: { password: 'optional' },
  desktop: {},
  'web-push': {}
}

const Channel = Type.Unsafe<ChannelSettings>({
  type: 'object',
  required: ['kind'],
  discriminator: { propertyName: 'kind' },
  oneOf: Object.values(CHANNEL_SCHEMAS)
})

const TimeOfDay = (description: string) => Type.String({ pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d$', description })

export const NotificationsSchema = Type.Object(
  {
    after_ms: Type.Integer({
      minimum: 0,
      default: 30_000,
      description: 'Time that a call waits for approval before people are notified. 0: at once.'
    }),
    when: Type.Enum(['unwatched', 'always'], {
      default: 'unwatched',
      description:
        'Condition of notifications. `unwatched`: only while no front end that can approve the call is connected, or has ' +
        'asked for the waiting calls lately. `always`: without a condition.'
    }),
    detail: Type.Enum(['title', 'preview'], {
      default: 'title',
      description:
        'Content of notifications. `title`: the title of the call. `preview`: also the shortened text of its preview. ' +
        'Known secrets are redacted in both.'
    }),
    quiet_hours: Type.Optional(
      Type.Object(
        {
          from: TimeOfDay('Beginning, such as 22:00.'),
          to: TimeOfDay('End, such as 07:00.'),
          time_zone: Type.Optional(ShortText('Time zone, such as Europe/Berlin. Default: the time zone of the server.'))
        },
        { additionalProperties: false }
      )
    ),
    base_url: Type.Optional(
      Url(
        'Address at which people reach the console, such as that of a reverse proxy. Notifications link to it, and requests to its host ' +
          'and from its pages are accepted.'
      )
    ),
    channels: Type.Record(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }), Channel, {
      default: {},
      maxProperties: 32,
      description: 'Channels by name, each with its `kind` and the fields of that kind. See the notifications page.'
    })
  },
  { additionalProperties: false, default: {} }
)
export type NotificationSettings = Static<typeof NotificationsSchema>
export type QuietHours = NonNullable<NotificationSettings['quiet_hours']>

interface Issue {
  at: string[]
  message: string
}

/** Returns what the schema cannot express. */
export function validateNotifications({ quiet_hours, channels = {} }: Partial<NotificationSettings>): Issue[] {
  return [
    ...(quiet_hours ? validateQuietHours(quiet_hours) : []),
    ...Object.entries(channels).flatMap(([name, settings]) =>
      validateSecrets(settings).map(message => ({ at: ['channels', name], message }))
    )
  ]
}

function validateQuietHours({ from, to, time_zone }: Partial<QuietHours>): Issue[] {
  const issue = (field: string, message: string) => [{ at: ['quiet_hours', field], message }]
  if (from === undefined || to === undefined) return [{ at: ['quiet_hours'], message: 'must have "from" and "to"' }]
  if (from === to) return issue('to', 'must differ from "from"')
  return time_zone !== undefined && !isTimeZone(time_zone)
    ? issue('time_zone', 'must be a time zone such as Europe/Berlin')
    : []
}

function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}

function validateSecrets(settings: ChannelSettings): string[] {
  const given = settings as Record<string, unknown>
  return Object.entries(SECRETS[settings.kind]).flatMap(([name, need]) => {
    const sources = [`${name}_file`, `${name}_env`].filter(field => given[field] !== undefined)
    if (sources.length === 2) return [`must have only one of "${name}_file" and "${name}_env"`]
    return sources.length === 0 && need === 'required' ? [`must have "${name}_file" or "${name}_env"`] : []
  })
}

/** Returns the name of the person who decides by the links of a channel; undefined if its messages have none. */
export const getLinkPerson = (settings: ChannelSettings): string | undefined =>
  'decide_as' in settings ? settings.decide_as : undefined

/** Returns the names of the people who decide by the buttons of a channel, by their ids; undefined if its messages have none. */
export const getButtonDeciders = (settings: ChannelSettings): Readonly<Record<string, string>> | undefined =>
  'deciders' in settings ? settings.deciders : undefined

/** Returns true if the messages of a channel have links by which people decide. */
export const hasLinks = (settings: ChannelSettings): boolean =>
  getLinkPerson(settings) !== undefined || (settings.kind === 'web-push' && settings.decide_links === true)

/** Returns the address at which people reach the console, if it is configured. */
export const readBaseAddress = ({ base_url }: Pick<NotificationSettings, 'base_url'>): URL | undefined =>
  base_url === undefined ? undefined : (URL.parse(base_url) ?? undefined)

/** Returns why the messages of a channel lack links or buttons that its settings request; undefined if they have them. */
export function findMissingSetting(
  settings: ChannelSettings,
  { base_url, detail }: Pick<NotificationSettings, 'base_url' | 'detail'>
): string | undefined {
  if (hasLinks(settings) && base_url === undefined)
    return 'The messages have no links by which people can decide: set notifications.base_url.'
  if (getButtonDeciders(settings) && detail !== 'preview')
    return 'The messages have no buttons, because they do not show the preview: set notifications.detail to "preview".'
  return undefined
}

/** Returns the environment variables that contain secrets of channels. */
export const listSecretVariables = ({ channels }: Pick<NotificationSettings, 'channels'>): string[] =>
  Object.values(channels).flatMap(settings =>
    Object.entries(settings).flatMap(([field, value]) => (field.endsWith('_env') ? [String(value)] : []))
  )

/** Resolves the files of secrets in channels that are not validated yet. */
export function resolveSecretFiles(channels: unknown, resolve: (file: unknown) => unknown): unknown {
  return mapObject(channels, settings =>
    mapObject(settings, (value, field) => (field.endsWith('_file') ? resolve(value) : value))
  )
}

const mapObject = (value: unknown, change: (entry: unknown, key: string) => unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, change(entry, key)]))
    : value
