// NRDL_URL is the service, which addresses of this client begin with.
export default {
	nrdl: { input: "./openapi.json", output: { target: "./orval/nrdl.ts", client: "fetch", baseUrl: process.env.NRDL_URL } },
};
