// Routes for notifications: the channels with their state, and test messages.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Notifier } from '../notify/notifier.ts'
import { NotificationState, NotificationTestBody, NotificationTestResult } from '../protocol/notifications.ts'
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
    async () => ({ channels: await notifier.list() })
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
}
