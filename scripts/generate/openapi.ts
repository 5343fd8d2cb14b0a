// Generates openapi.yaml from the route schemas and the event union, and openapi-hub.yaml from the routes of the hub.
import { describeApi } from '../openapi/describe-api.ts'
import { describeHubApi } from '../openapi/describe-hub-api.ts'

export const generateOpenApi = async () => ({
  'openapi.yaml': await describeApi(),
  'openapi-hub.yaml': await describeHubApi()
})
