// Routes for notifications: the channels with their state, and test messages.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Notifier } from '../notify/notifier.ts'
import {
  NewPushSubscription,
  NotificationState,
  NotificationTestBody,
  NotificationTestResult,
  PushSubscriptionInfo,
  PushSubscriptionParams
} from '../protocol/notifications.ts'
import { problemResponses } from './schema.ts'

export const notificationRoutes: FastifyPluginAsyncTypebox<{ notifier: Notifier }> = async (app, { notifier }) => {
  app.get(
    '/notifications',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'listNotifications',
        summary: 'List the channels that notify people about waiting calls, with their latest outcomes.',
        tags: ['notifications'],
        response: { 200: NotificationState, ...problemResponses() }
      }
    },
    () => notifier.state()
  )

  app.post(
    '/notifications/test',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'testNotifications',
        summary: 'Send a test message by one channel or by all.',
        tags: ['notifications'],
        body: NotificationTestBody,
        response: { 200: NotificationTestResult, ...problemResponses('NOT_FOUND') }
      }
    },
    async ({ body }) => ({ results: await notifier.test(body.channel) })
  )

  app.post(
    '/notifications/subscriptions',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'subscribeToPush',
        summary: 'Register a browser for web push. Its previous subscription is replaced.',
        tags: ['notifications'],
        body: NewPushSubscription,
        response: { 200: PushSubscriptionInfo, ...problemResponses('CONFLICT') }
      }
    },
    async ({ body, caller }) =>
      notifier.subscribe(body, { client: caller.token?.name ?? caller.client, token_id: caller.issued?.token_id })
  )

  app.delete(
    '/notifications/subscriptions/:subscription_id',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'unsubscribeFromPush',
        summary: 'Remove a browser: it receives no further notifications.',
        tags: ['notifications'],
        params: PushSubscriptionParams,
        response: { 200: NotificationState, ...problemResponses('NOT_FOUND') }
      }
    },
    async ({ params }) => {
      await notifier.subscriptions.remove(params.subscription_id)
      return notifier.state()
    }
  )
}
