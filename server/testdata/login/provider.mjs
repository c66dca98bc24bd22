// A provider of OpenID Connect with four people, for tests: node provider.mjs PORT SECRET ADDRESS-OF-THE-SERVICE …
import { Provider } from "oidc-provider";

const [port, secret, ...services] = process.argv.slice(2);
const groups = { ann: ["staff"], ben: ["photographers", "staff"], boss: ["it"], eve: ["guests"] };

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{
    client_id: "nrdl", client_secret: secret, grant_types: ["authorization_code"], response_types: ["code"],
    redirect_uris: services.map((s) => s + "/v1/login/done"), post_logout_redirect_uris: services.map((s) => s + "/"),
  }],
  scopes: ["openid", "profile", "email", "groups"],
  claims: { openid: ["sub"], profile: ["name"], email: ["email"], groups: ["groups"] },
  cookies: { keys: [secret] },
  findAccount: (_, id) => groups[id] && {
    accountId: id,
    claims: () => ({ sub: id, name: id[0].toUpperCase() + id.slice(1) + " Example", email: id + "@id.example", groups: groups[id] }),
  },
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
