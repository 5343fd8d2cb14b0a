// The view of an approval. Servers of other versions, or hostile ones, may send any JSON: only fields that a console can show are kept.
import { CommandPart } from '../../protocol/calls.ts'
import { MAX_APPROVALS } from '../../protocol/rules.ts'
import { isObject } from '../../text/json-object.ts'

const MAX_RULES = 100
const MAX_GROUP_KEY = 64

/**
 * Returns the approval of an event. What the server alone can offer is left out: rules to remember, and whole texts of files. A preview that
 * cannot be shown as it is counts as cut, so that it is not approved here.
 */
export function viewApproval(approval: unknown, digest: string | null) {
  const { level, reason, approvals_needed, approvals, matched_rules, preview, group, files, expires_at } = isObject(
    approval
  )
    ? approval
    : {}
  return {
    level: level === 'ask' ? 'ask' : 'strict',
    reason: textOf(reason),
    ...(isApprovalCount(approvals_needed) && {
      approvals_needed,
      approvals: listOf(approvals, isObject).slice(0, MAX_APPROVALS).flatMap(viewGivenApproval)
    }),
    matched_rules: listOf(matched_rules, isRule).slice(0, MAX_RULES),
    preview: viewPreview(preview),
    digest: digest ?? '',
    ...(isText(group) && group.length <= MAX_GROUP_KEY && { group }),
    files: listOf(files, isObject).flatMap(({ path, to }) =>
      typeof path === 'string' ? [{ path, ...(typeof to === 'string' && { to }) }] : []
    ),
    expires_at: isTime(expires_at) ? expires_at : null,
    available_decisions: ['approve', 'reject'],
    always_options: []
  }
}

const isApprovalCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) > 1 && (value as number) <= MAX_APPROVALS

function viewGivenApproval({ person, token, client, channel, at }: Record<string, unknown>) {
  if (!isText(person) || !isTime(at)) return []
  const { id, name } = isObject(token) ? token : {}
  return [
    {
      person,
      ...(isText(id) && isText(name) && { token: { id, name } }),
      ...(isText(client) && { client }),
      ...(isText(channel) && { channel }),
      at
    }
  ]
}

function viewPreview(preview: unknown) {
  if (!isObject(preview) || typeof preview.title !== 'string') return { title: '', cut: true }
  const { title, text, diff, notes, information, sections, command_parts, alternative, cut } = preview
  const isWhole =
    [text, diff].every(part => part === undefined || typeof part === 'string') &&
    [notes, information].every(part => part === undefined || (Array.isArray(part) && part.every(isText)))
  if (!isWhole) return { title, cut: true }
  return {
    title,
    ...(text !== undefined && { text }),
    ...(diff !== undefined && { diff }),
    ...(notes !== undefined && { notes }),
    ...(information !== undefined && { information }),
    ...(Array.isArray(sections) && sections.every(isSection) && { sections }),
    ...(Array.isArray(command_parts) && command_parts.every(isCommandPart) && { command_parts }),
    ...(isAlternative(alternative) && { alternative }),
    ...(Boolean(cut) && { cut: true })
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isTime = (value: unknown): value is string => isText(value) && !Number.isNaN(Date.parse(value))
const textOf = (value: unknown) => (isText(value) ? value : '')

const listOf = <T>(value: unknown, isItem: (item: unknown) => item is T): T[] =>
  Array.isArray(value) ? value.filter(isItem) : []

interface MatchedRule {
  tier: string
  effect: string
  reason: string
}

const isRule = (rule: unknown): rule is MatchedRule =>
  isObject(rule) && [rule.tier, rule.effect, rule.reason].every(isText)

const COMMAND_CLASSES: readonly unknown[] = CommandPart.properties.class.enum

const isCommandPart = (part: unknown) =>
  isObject(part) && isText(part.text) && isText(part.reason) && COMMAND_CLASSES.includes(part.class)

const isAlternative = (value: unknown) => isObject(value) && isText(value.title) && isText(value.user_message)

const isSection = (section: unknown) =>
  isObject(section) &&
  Number.isSafeInteger(section.lines) &&
  (section.kind === 'call' || (section.kind === 'executes' && isText(section.path) && isText(section.format)))
