"""Five hundred words of business reports, a vocabulary of our own for ``ifscale``."""

WORDS = """
accrual accuracy adaptation adequacy adjustment administration adoption advantage advertising
affiliate agenda agility agreement alignment allocation allowance alternative ambition amendment
amortization analysis analytics annuity apparel appraisal approval arbitration architecture
assessment asset assignment assurance attrition auction audit authority automation availability
awareness backlog balance bandwidth baseline batch benchmark beneficiary benefit bidder billing
biotechnology board bond boundary brand breach broker buffer building bundle bureau calendar
campaign capability capital career cargo carrier catalog caution ceiling certification chairman
channel charter circulation clarity clause climate coalition collaboration commerce commission
commitment commodity community compensation competence competition complexity component computing
concentration conformity consent conservation consolidation constraint consultation consumer
container contingency continuity convention conversion cooperation copyright corporation
correction council counsel coupon coverage credential credit criterion currency customs
cybersecurity cycle dashboard database dealer debenture debt decline dedication deduction deficit
delegation department dependency deployment deposit depreciation deregulation derivative design
deterioration development device dialogue differentiation diligence disclosure discount discovery
disposal disruption distribution divestiture dividend document domain duration duty earnings
ecology economy efficiency electricity eligibility emission employer encryption enforcement
engagement engineering enhancement enterprise entrepreneur equity escalation escrow estate ethics
evaluation evidence evolution examination exception exchange exclusivity execution exemption
expansion expectation expenditure expertise expiration exploration export exposure facility
factory failure feasibility feedback fiduciary finance firmware flexibility forecast formula
foundation framework franchise freight frequency funding garment gateway generation geography
goodwill governance grant growth guarantee guidance hardware harmony hazard headcount headquarters
healthcare hedge heritage hierarchy holding hospitality identity impairment implementation import
incentive inclusion income independence indicator influence infrastructure initiative insight
insolvency inspection installation instrument insurance integration integrity interest
intermediary interruption inventory invoice irrigation itinerary jurisdiction justification
keynote knowledge labeling labor laboratory landlord latency launch leadership lease legislation
lender leverage liability licensee lifecycle loan lobbying logistics longevity loyalty machinery
management manufacturing margin market materiality maturity measurement media mediation membership
merchandise methodology metric migration milestone mining mission mitigation mobility momentum
monetization monopoly morale mortgage motivation municipality narrative navigation negotiation
neutrality notification novelty observation occupancy offering offset oligopoly onboarding
opportunity optimization outage outcome outlook output overhead oversight packaging patent payable
payment penalty pension percentage performance perimeter permit personnel perspective petroleum
pharmacy philosophy pipeline placement planning platform portfolio position preference premium
preparation prevention principle priority privacy procedure procurement profession proficiency
prognosis program projection proposal prospectus protection protocol provision prudence
publication purchase qualification quality rating rationale realization receivable recession
reconciliation recovery recruitment recycling redemption reduction referral reform refund regime
regulation reimbursement reinsurance reliability remediation remuneration renewal rental reporting
reputation research reserve resilience resolution resource restructuring retention revenue
revision reward rigor risk roadmap robotics safeguard salary satisfaction scalability scenario
schedule scrutiny sector security segment seller seniority sensitivity settlement shareholder
shipment shortage signature simplicity simulation software solvency sourcing specification
sponsorship stability staffing stakeholder standard statement statute stewardship storage strategy
streamlining subsidiary substitution succession supervision surplus surveillance survey
sustainability syndicate tariff technology telecommunications testimony threshold timeline
tolerance tourism trademark traffic transaction transformation transition transportation treasury
turnover uncertainty underwriting upgrade usability utility utilization validation valuation
vehicle venture versatility viability vigilance visibility vision volatility voucher warehouse
warranty wealth welfare wholesale withdrawal workflow workforce workshop workspace yield zoning
"""
