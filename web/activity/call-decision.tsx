// The decision about a call: who or what decided, when and why, and why the call needed one.
import { type Approval, type Call, describeDecider } from '../../src/client/client.ts'
import { formatDateTime } from '../text/format.ts'
import { Facts } from './facts.tsx'
import { Section } from './section.tsx'

type Decision = Extract<Call, { status: 'rejected' }>['rejected_by']

const SOURCES = {
  auto: 'automatically, because it needed no approval',
  mode: 'by the session mode',
  user: 'by a person',
  rule: 'by a saved rule',
  config: 'by the configuration',
  hook: 'by a hook'
} as const satisfies Record<Decision['source'], string>

export function CallDecision({ call }: { call: Call }) {
  const isRejected = call.status === 'rejected'
  const decision: Decision | undefined = isRejected
    ? call.rejected_by
    : 'approved_by' in call
      ? call.approved_by
      : undefined
  const approval = 'approval' in call ? call.approval : undefined
  if (!decision && !approval) return null
  return (
    <Section title="Decision">
      {approval && (
        <Facts
          facts={[
            ['Needed', `${approval.level === 'strict' ? 'strict approval' : 'approval'}: ${approval.reason}`],
            ['Persons', approval.approvals_needed?.toString()],
            ...approval.matched_rules
              .filter(({ reason }) => reason !== approval.reason)
              .map(rule => ['Rule', describeRule(rule)] as const)
          ]}
        />
      )}
      {decision && (
        <Facts
          facts={[
            [isRejected ? 'Rejected' : 'Approved', `${formatDateTime(decision.at)} ${SOURCES[decision.source]}`],
            ['By', describePerson(decision)],
            ['Mode', decision.mode],
            ['Hook', decision.hook],
            ['Saved rule', decision.rule_ids?.join(', ') ?? decision.rule_id],
            ['Reason', isRejected ? call.reason : decision.reason],
            ['Message', isRejected ? call.user_message : undefined],
            ...(isRejected ? (call.comments ?? []) : []).map(
              ({ path, line, text }) => [`${path}:${line}`, text] as const
            )
          ]}
        />
      )}
    </Section>
  )
}

const describeRule = ({ tier, effect, reason, source }: Approval['matched_rules'][number]): string =>
  `${effect}, ${source === 'hub' ? 'of the hub' : tier}: ${reason}`

/** Returns the name of the person, with the label of the client. */
function describePerson({ token, client, channel, via, earlier_approvals }: Decision): string | undefined {
  const name = describeDecider({ token, client, channel, earlier_approvals })
  return name !== undefined && via === 'hub' ? `${name}, at the hub` : name
}
