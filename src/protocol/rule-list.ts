// The list of saved rules.
import { Type } from 'typebox'
import type { SavedRule } from './decisions.ts'
import { NextCursor } from './request-params.ts'
import { ConfiguredRule } from './rules.ts'
import { schemaRef } from './schema-ref.ts'

export const RuleParams = Type.Object({ id: Type.String({ description: 'rule_id' }) })

const HubRuleList = Type.Object(
  {
    version: Type.Integer({ description: 'Version of the rule set; larger than those of all earlier sets.' }),
    saved_at: Type.String({ format: 'date-time' }),
    saved_by: Type.String({ description: 'Person who saved the rule set at the hub.' }),
    rules: Type.Array(ConfiguredRule)
  },
  { description: 'Active rules of the hub. Only on the first page, and only for tokens that can approve.' }
)

export const RulePage = Type.Object({
  rules: Type.Array(schemaRef<SavedRule>('Rule')),
  cursor: NextCursor,
  hub: Type.Optional(HubRuleList)
})
