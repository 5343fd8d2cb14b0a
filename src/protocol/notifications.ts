// Notifications about calls that wait for approval: the message that webhooks receive, and the channels that send it.
import { type Static, Type } from 'typebox'
import { Time } from './time.ts'

/** A call that waits for approval. Fields may be added; none changes its meaning. */
export const WaitingCallNotification = Type.Object(
  {
    type: Type.Literal('approval.waiting'),
    timestamp: Type.String({ format: 'date-time', description: 'Time of the message.' }),
    data: Type.Object({
      tool_call_id: Type.String({ description: 'Id of the call.' }),
      title: Type.String({ description: 'Title of the call. Known secrets are redacted.' }),
      tool: Type.String({ description: 'Native name of the tool.' }),
      level: Type.Enum(['ask', 'strict'], { description: 'Approval level.' }),
      reason: Type.String({ description: 'Reason why the call needs approval.' }),
      approvals: Type.Optional(
        Type.String({ description: 'Approvals so far, if several persons must approve, such as `1 of 2 approvals`.' })
      ),
      session_id: Type.String({ description: 'Session of the call.' }),
      workspace: Type.String({ description: 'Workspace name.' }),
      agent: Type.Optional(Type.String({ description: 'Agent that sent the call.' })),
      waiting_since: Type.String({ format: 'date-time', description: 'Time at which the call began to wait.' }),
      waited_ms: Type.Integer({ description: 'Time for which the call has waited.' }),
      expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
        description: 'Time at which the call expires; null if it does not.'
      }),
      preview: Type.Optional(
        Type.String({ description: 'Shortened text of the preview, only with `notifications.detail` `preview`.' })
      ),
      url: Type.Optional(
        Type.String({ description: 'URL of the call in the console, only with `notifications.base_url`.' })
      ),
      decide_url: Type.Optional(
        Type.String({
          description:
            'Link by which the reader can approve or reject the call, only with `decide_as` of the channel. It is a secret.'
        })
      ),
      decide_until: Type.Optional(
        Type.String({ format: 'date-time', description: 'Time at which `decide_url` expires.' })
      )
    })
  },
  { title: 'WaitingCallNotification' }
)
export type WaitingCallNotification = Static<typeof WaitingCallNotification>

/** A message by which a person tests a channel. */
export const TestNotification = Type.Object(
  {
    type: Type.Literal('notification.test'),
    timestamp: Type.String({ format: 'date-time', description: 'Time of the message.' }),
    data: Type.Object({
      channel: Type.String({ description: 'Name of the channel.' }),
      url: Type.Optional(
        Type.String({
          description:
            'URL of the console, only with `notifications.base_url`. With `decide_as`, of a page that tests the device.'
        })
      )
    })
  },
  { title: 'TestNotification' }
)
export type TestNotification = Static<typeof TestNotification>

export type Notification = WaitingCallNotification | TestNotification

const LastError = Type.Object({
  time: Time,
  message: Type.String({ description: 'Error, without secrets.' })
})

export const NotificationChannel = Type.Object(
  {
    name: Type.String({ description: 'Configured name.' }),
    kind: Type.String({ description: 'Kind of the channel, such as webhook.' }),
    pending: Type.Integer({ description: 'Number of notifications that are not delivered yet.' }),
    problem: Type.Optional(Type.String({ description: 'Why the channel cannot send: an error of its configuration.' })),
    last_success: Type.Optional(Time),
    last_error: Type.Optional(LastError)
  },
  { title: 'NotificationChannel' }
)
export type NotificationChannel = Static<typeof NotificationChannel>

/** A subscription of a browser, as the Push API returns it. */
export const NewPushSubscription = Type.Object(
  {
    endpoint: Type.String({ maxLength: 2_048, pattern: '^https?://', description: 'URL of the push service.' }),
    keys: Type.Object(
      {
        p256dh: Type.String({
          pattern: '^[A-Za-z0-9_-]{87}$',
          description: 'Public key of the browser, in base64url.'
        }),
        auth: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$', description: 'Secret of the browser, in base64url.' })
      },
      { additionalProperties: false, description: 'Keys by which messages are encrypted.' }
    )
  },
  { additionalProperties: false, title: 'NewPushSubscription' }
)
export type NewPushSubscription = Static<typeof NewPushSubscription>

export const PushSubscriptionInfo = Type.Object(
  {
    subscription_id: Type.String({ description: 'Id: the beginning of the sha256 of the endpoint, in base64url.' }),
    created_at: Time,
    client: Type.String({ description: 'Name of the client that registered it.' })
  },
  { title: 'PushSubscription', description: 'A browser that receives notifications.' }
)
export type PushSubscriptionInfo = Static<typeof PushSubscriptionInfo>

export const PushSubscriptionParams = Type.Object({
  subscription_id: Type.String({ maxLength: 64, description: 'Id of the subscription.' })
})

export const SlackButtonParams = Type.Object({
  channel: Type.String({ maxLength: 64, description: 'Name of the notification channel.' })
})

export const SlackButtonBody = Type.String({
  description: 'Form with the field `payload`: the JSON of an interaction of the type `block_actions`.'
})

export const NotificationState = Type.Object(
  {
    channels: Type.Array(NotificationChannel),
    subscriptions: Type.Array(PushSubscriptionInfo, { description: 'Browsers that receive web push, oldest first.' }),
    vapid_public_key: Type.Optional(
      Type.String({
        description: 'Public key with which a browser subscribes. Missing without a channel of the kind `web-push`.'
      })
    )
  },
  { title: 'Notifications' }
)
export type NotificationState = Static<typeof NotificationState>

export const NotificationTestBody = Type.Object(
  {
    channel: Type.Optional(Type.String({ maxLength: 64, description: 'Name of the channel. Default: all channels.' }))
  },
  { additionalProperties: false, title: 'NotificationTest' }
)

export const NotificationTestOutcome = Type.Object(
  {
    channel: Type.String({ description: 'Name of the channel.' }),
    kind: Type.String({ description: 'Kind of the channel.' }),
    accepted: Type.Boolean({ description: 'True if the channel accepted the message.' }),
    error: Type.Optional(Type.String({ description: 'Error, without secrets.' }))
  },
  { title: 'NotificationTestOutcome' }
)
export type NotificationTestOutcome = Static<typeof NotificationTestOutcome>

export const NotificationTestResult = Type.Object(
  { results: Type.Array(NotificationTestOutcome) },
  { title: 'NotificationTestResult' }
)
